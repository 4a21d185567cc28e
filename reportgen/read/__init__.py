"""From files to tables of one schema: reading, alignment, holdout, fingerprints."""

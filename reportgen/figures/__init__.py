"""Pictures from the result's own bins."""

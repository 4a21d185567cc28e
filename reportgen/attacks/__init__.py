"""Attacks with the synthetic table on single people: singling out, linkability, inference (WP216, Opinion 05/2014).

    attributes      all rows as an attacker reads them: the values of each column, and their places in the space
    targets         which original and holdout rows are attacked
    predicates      boxes of values and the rows that they hold
    singling_out, linkability, inference: the attacks
    run             all of them

Every attack is made on original rows, which the generator saw, and in the same way on holdout rows, which it did not:
what succeeds on both is what the data teach about anybody, and only what succeeds more often on the original is a leak
(Giomi et al., PETS 2023). No attack looks at which rows are which, so without a leak their labels can be exchanged.
Every loop ends after a number of attempts, never after a time: a result must not depend on the machine.
"""

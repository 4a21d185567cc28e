"""`python -m reportgen.cli`."""

from reportgen.cli import main

main()

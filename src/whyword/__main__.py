"""``python -m whyword`` is the command ``whyword``."""

from whyword.cli import main

if __name__ == "__main__":
    main()

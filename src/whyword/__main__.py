"""``python -m whyword`` is the command ``whyword``."""

from whyword.cli.main import main

if __name__ == "__main__":
    main()

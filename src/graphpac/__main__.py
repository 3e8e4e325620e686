"""``python -m graphpac`` is the command ``graphpac``."""

from graphpac.cli.main import main

if __name__ == "__main__":  # processes of their own import this file again
    main()

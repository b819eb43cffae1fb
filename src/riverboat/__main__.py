"""`python -m riverboat` is the riverboat command."""

from riverboat.cli.main import run

if __name__ == "__main__":
    run()

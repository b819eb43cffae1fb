from .session import UpiSession

__all__ = ["UpiSession"]

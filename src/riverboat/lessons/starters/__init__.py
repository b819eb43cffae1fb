"""The files that students begin with; `riverboat check assignment1 --starter` writes one."""

"""Frames and control flow as text and pictures: ``views`` is what the objects of the package ask, the rest is under it."""

"""Frames, control flow graphs and traces as text, SVG, HTML and DOT; ``views`` is the interface for the rest of the package."""

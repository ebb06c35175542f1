"""What executes modules: engines and interpreters, and the functions and coroutines in them as Python objects."""

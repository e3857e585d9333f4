"""The search for exact optima: it may be clever, since the kernel checks what it finds."""

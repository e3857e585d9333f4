"""Training the model of docs/theory.md by gradient descent: docs/training.md.

PyTorch is imported only when a training starts; checkpoints are judged without it.
"""

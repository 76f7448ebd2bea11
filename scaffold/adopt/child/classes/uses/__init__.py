"""What code does with names: which says what they stand for, where no annotation does."""

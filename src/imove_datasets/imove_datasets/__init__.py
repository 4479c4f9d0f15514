"""Data sets that trainers take: exports of episode bags, mixing plans, and checks of fine-tuning recipes."""

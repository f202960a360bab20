"""Random programs of Sinter's run-time builder, compared with NumPy 2. Run: python3 -m
tests.differential --help"""

"""`gambol reproduce responsive`: whole-body answers to pushes, and the learned walker of YL10."""

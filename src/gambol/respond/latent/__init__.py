"""The body side of a learned responder (YL10): features, poses from features, deformation by pushes, training data."""

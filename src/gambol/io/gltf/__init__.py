"""glTF 2.0: documents and curves that can be trusted, skinned animations in and out."""

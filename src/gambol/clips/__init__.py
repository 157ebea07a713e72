"""Operations on whole clips: the `Result` that public functions return, and `loop` and `retarget`."""

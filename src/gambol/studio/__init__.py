"""The browser: a viewer for motions, and the self-contained player that opens offline."""

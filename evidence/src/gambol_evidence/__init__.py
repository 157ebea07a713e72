"""Evidence for gambol: claims of papers, measured, and speed beside other packages."""

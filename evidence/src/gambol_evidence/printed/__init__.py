"""Forms of methods as papers print them, where gambol has others that work on recorded motions."""

"""A laboratory and workbench for batch scheduling on clusters."""

"""A running Grid Engine: reading its queue, and changing priorities within bounds."""

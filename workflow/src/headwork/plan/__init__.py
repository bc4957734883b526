"""What the rules read: settings and run sheets in, paths that begin with <results> out."""

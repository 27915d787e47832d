"""Adapters that give the environments the interfaces of other packages."""

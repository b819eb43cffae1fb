"""Solvers on game trees and public trees, and the one run of all long work."""

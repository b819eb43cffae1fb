"""Rules become arrays: GameTree, SequenceForm and PublicTree."""

"""How strong a hold'em player is: matches, local best response."""

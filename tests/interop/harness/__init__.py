"""What `run` is made of: the lab's programs, the gateways before them, and the judgement of what clients report."""

"""What N operations can do, by enumeration: relations, Algorithm 6; knows program and models."""

"""Examples for the help of several commands."""

FIRST_CLASS = """
\b
{title}
  scaffold new-module Affine \\
    'weight:f[out_size,in_size]=lecun_normal' 'bias:f[out_size]=zeros' \\
    --call 'x:f[in_size] -> f[out_size]' \\
    --body 'return self.weight @ x + self.bias'
"""

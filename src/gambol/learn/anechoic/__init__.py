"""Anechoic mixtures: signals as weighted sums of delayed sources (M17 section 2.2)."""

from gambol.learn.anechoic.mixture import AnechoicMixture as AnechoicMixture
from gambol.learn.anechoic.mixture import Mixing as Mixing
from gambol.learn.anechoic.order import OrderSelection as OrderSelection
from gambol.learn.anechoic.order import choose_order as choose_order

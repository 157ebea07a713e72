"""Gaussian processes: regression, latent variable models with back constraints, and dynamics of latents (YL10, M17)."""

from gambol.learn.gaussian.coefficients import CoefficientProcess as CoefficientProcess
from gambol.learn.gaussian.dynamics import LatentDynamics as LatentDynamics
from gambol.learn.gaussian.gplvm import ScaledGplvm as ScaledGplvm
from gambol.learn.gaussian.inference import FrameInference as FrameInference
from gambol.learn.gaussian.inference import InferredFrame as InferredFrame
from gambol.learn.gaussian.kernels import FactorKernel as FactorKernel
from gambol.learn.gaussian.kernels import LinearFactor as LinearFactor
from gambol.learn.gaussian.kernels import RbfKernel as RbfKernel
from gambol.learn.gaussian.regression import GaussianProcess as GaussianProcess

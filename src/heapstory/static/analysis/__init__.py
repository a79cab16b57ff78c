"""The whole analysis: units compiled, linked, analysed on all cores, answers kept between runs.
It knows all rooms but findings.
"""

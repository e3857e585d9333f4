"""Tests of audits of trained layers."""

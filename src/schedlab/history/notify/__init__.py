"""Telling people and programs elsewhere: e-mail and webhooks."""

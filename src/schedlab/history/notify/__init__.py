"""Messages to people and programs elsewhere: e-mail and webhooks."""

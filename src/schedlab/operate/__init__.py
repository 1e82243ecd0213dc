"""The loop: collect, check the twin, learn, test, shadow, ask, steer, watch; again and again."""

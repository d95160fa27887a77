"""Real clients, with a stand-in for the model behind each."""

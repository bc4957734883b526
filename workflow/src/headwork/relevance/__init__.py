"""How much each head matters to what the model predicts."""

"""What is learned about people in a file beyond what is learned about people outside it."""

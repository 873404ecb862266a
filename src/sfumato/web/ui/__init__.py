"""What pages are made of: fields, charts, tables, forms and the frame around them."""

"""Words for imported objects from two vision-language models, checked against measurements and by people."""

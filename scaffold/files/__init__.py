"""Files: where a path really is and what is there (`places`), and what each file of a plan meets on disk (`fileset`)."""

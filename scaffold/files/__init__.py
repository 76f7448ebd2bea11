"""Files of a project: real places of paths (`places`), and planned files beside the disk (`fileset`)."""

"name","parent_no"
"x","1"

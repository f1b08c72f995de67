"sail_area","sail_name"
"{""m2"":30}","jib"
